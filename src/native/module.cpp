#include "modules.hpp"

NB_MODULE(_native, module) {
    module.doc() = "Kernels: loops over frames, joints and bytes, compiled when retime is built.";
#define RETIME_BIND(name, help)                                     \
    {                                                               \
        nanobind::module_ part = module.def_submodule(#name, help); \
        retime::name::bind(part);                                   \
    }
    RETIME_PARTS(RETIME_BIND)
#undef RETIME_BIND
}
