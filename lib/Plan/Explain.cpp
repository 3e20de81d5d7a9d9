#include "kami/Plan/Explain.h"
using namespace kami;
void kami::explainText(const Choice &, const Problem &, const Chip &, const PlannerOptions &, Detail, llvm::raw_ostream &) {}
llvm::json::Object kami::explainJSON(const Choice &, const Problem &, const Chip &, const PlannerOptions &, Detail) { return {}; }
std::string kami::summary(const Plan &) { return ""; }
