# Sourced, with a tree: lets its build take from ccache what another tree compiled from the same sources. Does nothing without
# ccache.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1
  # By the files that the compiler says it read: what is new costs no second preprocessing.
  export CCACHE_DEPEND=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros
fi
