// The one place where something can be made wrong in the emulated device. A device without a hook is healthy.
#pragma once

#include <memory>
#include <utility>

#include "harness/gfx950/machine/places.h"
#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::gfx950 {

// Asked for every workgroup, from any thread: a function of the place alone.
class FaultHook {
 public:
  virtual ~FaultHook() = default;
  // The fault of the matrix unit at this place; kNone: it is healthy.
  virtual MatrixFault matrix_fault(const Place& place) const = 0;
};

// The same fault in every matrix unit. No hook at all where `fault` is none.
inline std::shared_ptr<const FaultHook> fault_everywhere(const MatrixFault& fault) {
  class Everywhere : public FaultHook {
   public:
    explicit Everywhere(const MatrixFault& everywhere) : fault_(everywhere) {}
    MatrixFault matrix_fault(const Place&) const override { return fault_; }

   private:
    MatrixFault fault_;
  };
  return fault.kind == MatrixFault::Kind::kNone ? nullptr : std::make_shared<const Everywhere>(fault);
}

// The fault in one matrix unit, all others healthy.
inline std::shared_ptr<const FaultHook> fault_at(const Place& place, const MatrixFault& fault) {
  class At : public FaultHook {
   public:
    At(const Place& place_of_fault, const MatrixFault& at_place) : place_(place_of_fault), fault_(at_place) {}
    MatrixFault matrix_fault(const Place& place) const override { return place == place_ ? fault_ : MatrixFault{}; }

   private:
    Place place_;
    MatrixFault fault_;
  };
  return std::make_shared<const At>(place, fault);
}

}  // namespace mfma::gfx950
