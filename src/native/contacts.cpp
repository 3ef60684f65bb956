#include "modules.hpp"

namespace retime::contacts {

void bind(nanobind::module_ &) {}

}  // namespace retime::contacts
