#include "modules.hpp"

namespace retime::physics_contacts {

void bind(nanobind::module_ &) {}

}  // namespace retime::physics_contacts
