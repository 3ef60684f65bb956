#include "modules.hpp"

namespace retime::posing {

void bind(nanobind::module_ &) {}

}  // namespace retime::posing
