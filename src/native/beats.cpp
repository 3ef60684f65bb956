#include "modules.hpp"

namespace retime::beats {

void bind(nanobind::module_ &) {}

}  // namespace retime::beats
