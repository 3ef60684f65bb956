#include "modules.hpp"

namespace retime::physics_search {

void bind(nanobind::module_ &) {}

}  // namespace retime::physics_search
