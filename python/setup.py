# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyproject.toml cannot say: one wheel serves every Python 3.

The library is loaded by ctypes, so that the wheel depends on the platform, but
on no Python's ABI.
"""

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools below 70.1
    from wheel.bdist_wheel import bdist_wheel


class AnyPython(bdist_wheel):
    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", platform


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"bdist_wheel": AnyPython}, distclass=WithLibrary)
