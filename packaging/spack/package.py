from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Headrace(PythonPackage):
    """See, explain and fix the I/O of parallel programs."""

    # No archive can be fetched yet: `spack develop --path SOURCES headrace@0.1.0` names the sources.
    license("BSD-3-Clause")

    version("0.1.0")

    variant("otf2", default=True, description="Write and read traces as OTF2 archives")
    variant("fuse", default=True, description="Build `headrace mount`")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("node-js@18:", type="build")
    depends_on("npm", type="build")

    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.4:", type="build")

    # Spack has no py-symbolic. Headrace runs without it, and shows code by its address until it is there: pip install symbolic.
    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-pyarrow@15:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-tomli@2:", when="^python@:3.10", type=("build", "run"))

    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("bzip2")
    depends_on("otf2@3:", when="+otf2")
    depends_on("libfuse@3.14:", when="+fuse")

    conflicts("platform=darwin", msg="capture works on Linux alone")

    @run_before("install")
    def make_page(self):
        """The page of reports, which is not among the sources."""
        with working_dir(self.stage.source_path):
            Executable("scripts/web")("build")

    def config_settings(self, spec, prefix):
        left_out = {"OTF2": "+otf2" not in spec, "FUSE3": "+fuse" not in spec}
        return {
            f"cmake.define.CMAKE_DISABLE_FIND_PACKAGE_{name}": "ON"
            for name, is_out in left_out.items()
            if is_out
        }
