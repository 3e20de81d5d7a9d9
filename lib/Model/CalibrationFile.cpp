//===- CalibrationFile.cpp - Calibrations as JSON ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/CalibrationFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kami;

using C = Calibration;

static constexpr CalibrationFigure figures[] = {
    {"shared_bandwidth_bytes_per_cycle", &C::sharedBandwidth, 1e5},
    {"shared_latency_cycles", &C::sharedLatency, 1e5},
    {"barrier_cycles", &C::barrier, 1e5},
    {"barrier_per_warp_cycles", &C::barrierPerWarp, 1e5},
    {"cache_bandwidth_bytes_per_cycle", &C::cacheBandwidth, 1e5},
    {"memory_bandwidth_gb_per_s", &C::memoryBandwidth, 1e6},
    {"memory_latency_cycles", &C::memoryLatency, 1e6},
    {"launch_microseconds", &C::launchMicroseconds, 1e6},
};

namespace {
struct AtomFigure {
  llvm::StringRef key;
  double AtomCalibration::*value;
};
} // namespace

static constexpr AtomFigure atomFigures[] = {
    {"cycles", &AtomCalibration::cycles},
    {"latency_cycles", &AtomCalibration::latency},
    {"exposed_reads", &AtomCalibration::exposedReads},
    {"exposed_exchange", &AtomCalibration::exposedExchange},
};
static constexpr double mostAtomCycles = 1e6;

llvm::ArrayRef<CalibrationFigure> kami::calibrationFigures() { return figures; }

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// A number above 0 and up to `most` under `key` of what `where` names.
static llvm::Error parseFigure(const llvm::json::Object &object,
                               llvm::StringRef key, double most,
                               llvm::StringRef where, double &value) {
  std::optional<double> number = object.getNumber(key);
  if (!number)
    return fail("expected a number '" + key + "'" + where + ", but got " +
                (object.get(key) ? "something else" : "none"));
  if (!(*number > 0 && *number <= most))
    return fail(llvm::formatv("expected '{0}'{1} above 0 and up to {2:F0}, but "
                              "got {3}",
                              key, where, most, llvm::json::Value(*number))
                    .str());
  value = *number;
  return llvm::Error::success();
}

static llvm::Error parseText(const llvm::json::Object &object,
                             llvm::StringRef key, std::string &value) {
  std::optional<llvm::StringRef> text = object.getString(key);
  if (!text || text->empty())
    return fail("expected a text '" + key + "', but got " +
                (object.get(key) ? "something else" : "none"));
  value = text->str();
  return llvm::Error::success();
}

/// The first key, in the alphabet's order, that is none of `known`.
static llvm::Error checkKeys(const llvm::json::Object &object,
                             const llvm::StringSet<> &known,
                             llvm::StringRef where) {
  std::string unknown;
  for (const auto &member : object) {
    llvm::StringRef key = member.first;
    if (!known.contains(key) && (unknown.empty() || key < unknown))
      unknown = key.str();
  }
  return unknown.empty() ? llvm::Error::success()
                         : fail("unknown key '" + unknown + "'" + where);
}

static llvm::Error parseAtom(const llvm::json::Value &value, const Chip &chip,
                             llvm::StringSet<> &seen,
                             Calibration &calibration) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return fail("expected 'atoms' to be an array of objects");
  std::string name;
  if (llvm::Error error = parseText(*object, "name", name))
    return error;
  const Atom *atom = findAtom(name);
  if (!atom || !chip.findRate(*atom))
    return fail("target '" + chip.name + "' has no atom '" + name + "'");
  if (!seen.insert(name).second)
    return fail("atom '" + name + "' is there twice");
  std::string where = " of '" + name + "'";
  llvm::StringSet<> known = {"name"};
  AtomCalibration &entry = calibration.of(*atom);
  for (const AtomFigure &figure : atomFigures) {
    known.insert(figure.key);
    if (llvm::Error error = parseFigure(*object, figure.key, mostAtomCycles,
                                        where, entry.*figure.value))
      return error;
  }
  entry.provenance = Provenance::Measured;
  return checkKeys(*object, known, where);
}

/// Version and chip: whether the other figures mean what they say here.
static llvm::Error checkHead(const llvm::json::Object &object,
                             const Chip &chip) {
  std::optional<int64_t> version = object.getInteger("version");
  if (!version)
    return fail("expected a calibration of version " +
                llvm::Twine(calibrationVersion) + ", but got no version");
  if (*version != calibrationVersion)
    return fail("expected a calibration of version " +
                llvm::Twine(calibrationVersion) + ", but got version " +
                llvm::Twine(*version));
  std::string name;
  if (llvm::Error error = parseText(object, "chip", name))
    return error;
  if (name != chip.name)
    return fail("expected a calibration of " + chip.name + ", but got one of " +
                name);
  return llvm::Error::success();
}

llvm::Expected<Calibration> kami::parseCalibration(llvm::StringRef text,
                                                   const Chip &chip) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return fail("expected JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return fail("expected a JSON object");
  if (llvm::Error error = checkHead(*object, chip))
    return error;
  Calibration calibration = documentedCalibration(chip);
  calibration.provenance = Provenance::Measured;
  if (llvm::Error error = parseText(*object, "device", calibration.device))
    return error;
  if (llvm::Error error = parseText(*object, "source", calibration.source))
    return error;
  llvm::StringSet<> known = {"version", "chip", "device", "source", "atoms"};
  for (const CalibrationFigure &figure : figures) {
    known.insert(figure.key);
    if (llvm::Error error = parseFigure(*object, figure.key, figure.most, "",
                                        calibration.*figure.value))
      return error;
  }
  if (llvm::Error error = checkKeys(*object, known, ""))
    return error;
  const llvm::json::Array *atoms = object->getArray("atoms");
  if (!atoms)
    return fail("expected an array 'atoms'");
  llvm::StringSet<> seen;
  for (const llvm::json::Value &atom : *atoms)
    if (llvm::Error error = parseAtom(atom, chip, seen, calibration))
      return error;
  return calibration;
}

llvm::Expected<std::optional<Calibration>>
kami::loadCalibration(llvm::StringRef path, const Chip &chip) {
  if (path.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return fail("cannot read calibration '" + path +
                "': " + file.getError().message());
  llvm::Expected<Calibration> calibration =
      parseCalibration((*file)->getBuffer(), chip);
  if (!calibration)
    return fail("calibration '" + path +
                "': " + llvm::toString(calibration.takeError()));
  return std::move(*calibration);
}

llvm::json::Value kami::toJSON(const Calibration &calibration) {
  llvm::json::Object object;
  object["version"] = calibrationVersion;
  object["chip"] = calibration.chip;
  object["device"] = calibration.device;
  object["source"] = calibration.source;
  for (const CalibrationFigure &figure : figures)
    object[figure.key] = calibration.*figure.value;
  llvm::json::Array atoms;
  for (const AtomCalibration &entry : calibration.atoms) {
    if (entry.provenance != Provenance::Measured)
      continue;
    llvm::json::Object atom;
    atom["name"] = entry.atom->name.str();
    for (const AtomFigure &figure : atomFigures)
      atom[figure.key] = entry.*figure.value;
    atoms.push_back(std::move(atom));
  }
  object["atoms"] = std::move(atoms);
  return object;
}
