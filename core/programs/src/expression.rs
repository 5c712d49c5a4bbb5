//! Values, and expressions over a thread's registers.

use std::fmt::{self, Debug, Display};
use std::ops;

use serde::{Serialize, Serializer};

/// Shared location, by its number in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State)]
pub struct Location(pub u16);

/// Private register of a thread, by its number in the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Register(pub u8);

/// Value of a register or a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, refmap::State)]
pub enum Value {
    /// An integer.
    Number(#[state(varint)] i64),
    /// The address of a location.
    Address(#[state(varint)] Location),
}

impl Default for Value {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Address(location) => write!(f, "&{}", location.0),
        }
    }
}

/// Serializes a number, or `&n` for the address of location n.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Address(_) => serializer.collect_str(self),
        }
    }
}

/// Integer type: the width and signedness to which a written value is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Integer {
    /// Number of bits, from 1 to 64.
    pub bits: u32,
    /// Meaning of the highest bit.
    pub sign: Sign,
}

/// Signedness: the meaning of an integer's highest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Sign {
    /// Two's complement: the highest bit is negative.
    Signed,
    /// Unsigned: the highest bit is positive like the others.
    Unsigned,
}

impl Integer {
    /// Signed 64-bit integer, which holds every number unchanged.
    pub const I64: Self = Self {
        bits: 64,
        sign: Sign::Signed,
    };
    /// Signed 32-bit integer.
    pub const I32: Self = Self {
        bits: 32,
        sign: Sign::Signed,
    };

    /// Truncates `value` to this type. An address is not truncated.
    pub fn keep(self, value: Value) -> Value {
        match value {
            Value::Number(number) => Value::Number(self.wrap(number)),
            Value::Address(_) => value,
        }
    }

    fn wrap(self, number: i64) -> i64 {
        let unused = 64_u32.saturating_sub(self.bits).min(63);
        match self.sign {
            Sign::Signed => (number << unused) >> unused,
            Sign::Unsigned => (((number as u64) << unused) >> unused) as i64,
        }
    }
}

/// Binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Operator {
    /// Sum, modulo 2⁶⁴. The sum of an address and a number is the address that many locations later.
    Add,
    /// Difference, modulo 2⁶⁴.
    Subtract,
    /// Sum of numbers, modulo 2⁶⁴. Only 0 can be added to an address.
    AddNumbers,
    /// Difference of numbers, modulo 2⁶⁴. Only 0 or the address itself can be subtracted from an address.
    SubtractNumbers,
    /// Product, modulo 2⁶⁴.
    Multiply,
    /// Bitwise and. That of an address with itself is the address.
    And,
    /// Bitwise or. That of an address with itself is the address.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift, by 0 to 63 bits.
    ShiftLeft,
    /// Arithmetic right shift, by 0 to 63 bits.
    ShiftRight,
    /// Right shift that fills up with zeros, by 0 to 63 bits.
    ShiftRightLogical,
    /// 1 if both are equal, otherwise 0. An address equals no number.
    Equal,
    /// 1 if they differ, otherwise 0.
    Differ,
    /// 1 if the left one is less, otherwise 0.
    Less,
}

impl Operator {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add | Self::AddNumbers => "+",
            Self::Subtract | Self::SubtractNumbers => "-",
            Self::Multiply => "*",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::ShiftRightLogical => ">>>",
            Self::Equal => "==",
            Self::Differ => "!=",
            Self::Less => "<",
        }
    }

    /// Applies the operator to `left` and `right`.
    ///
    /// # Errors
    ///
    /// If the operator is undefined for an address.
    pub fn apply(self, left: Value, right: Value) -> Result<Value, Fault> {
        use Value::{Address, Number};
        let number = match (left, right) {
            (Number(a), Number(b)) => match self {
                Self::Add | Self::AddNumbers => a.wrapping_add(b),
                Self::Subtract | Self::SubtractNumbers => a.wrapping_sub(b),
                Self::Multiply => a.wrapping_mul(b),
                Self::And => a & b,
                Self::Or => a | b,
                Self::Xor => a ^ b,
                Self::ShiftLeft => a.wrapping_shl(b as u32),
                Self::ShiftRight => a.wrapping_shr(b as u32),
                Self::ShiftRightLogical => (a as u64).wrapping_shr(b as u32) as i64,
                Self::Equal => i64::from(a == b),
                Self::Differ => i64::from(a != b),
                Self::Less => i64::from(a < b),
            },
            (Address(base), Number(offset)) | (Number(offset), Address(base))
                if self == Self::Add =>
            {
                return moved(base, offset);
            }
            (Address(base), Number(offset)) if self == Self::Subtract => {
                return moved(base, offset.wrapping_neg());
            }
            (Address(_), Number(0)) if self == Self::SubtractNumbers => return Ok(left),
            (Address(base), Number(0)) | (Number(0), Address(base)) if self == Self::AddNumbers => {
                return Ok(Address(base));
            }
            (Address(a), Address(b)) if self == Self::SubtractNumbers && a == b => 0,
            (Address(a), Address(b)) if self == Self::Subtract => i64::from(a.0) - i64::from(b.0),
            (Address(a), Address(b)) if self == Self::Xor && a == b => 0,
            (Address(a), Address(b)) if matches!(self, Self::And | Self::Or) && a == b => {
                return Ok(left);
            }
            _ if self == Self::Equal => i64::from(left == right),
            _ if self == Self::Differ => i64::from(left != right),
            _ => return Err(Fault::AddressInArithmetic),
        };
        Ok(Number(number))
    }

    /// True if its value is defined, and not 0.
    pub(crate) fn is_true(self, left: Value, right: Value) -> bool {
        self.apply(left, right)
            .is_ok_and(|value| value != Value::Number(0))
    }
}

fn moved(base: Location, offset: i64) -> Result<Value, Fault> {
    let moved = i64::from(base.0).checked_add(offset);
    moved
        .and_then(|number| u16::try_from(number).ok())
        .map(|number| Value::Address(Location(number)))
        .ok_or(Fault::NoSuchLocation)
}

/// Fault: an undefined operation, at which a thread stops.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    refmap::State,
    thiserror::Error,
)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An address is used in arithmetic on numbers.
    #[error("computes with an address as if it were a number")]
    AddressInArithmetic,
    /// A number is used as an address.
    #[error("uses a number as an address")]
    NumberAsAddress,
    /// An address is beyond the locations of the program.
    #[error("uses an address beyond the locations of the program")]
    NoSuchLocation,
    /// An access has another width than the location.
    #[error("accesses a part of a location, or more than one")]
    OtherWidth,
}

/// Expression over a thread's registers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Expression {
    /// Constant.
    Constant(Value),
    /// Value of a register.
    Register(Register),
    /// Value truncated to an integer type.
    Keep(Integer, Box<Expression>),
    /// Binary operation.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// The second value if the first is not 0, otherwise the third. It depends on all three.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
}

impl Expression {
    fn binary(operator: Operator, left: Self, right: impl Into<Self>) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right.into()))
    }

    /// Applies an operator to two expressions.
    pub fn of(operator: Operator, left: impl Into<Self>, right: impl Into<Self>) -> Self {
        Self::binary(operator, left.into(), right)
    }

    /// 1 if both are equal, otherwise 0.
    pub fn equals(self, other: impl Into<Self>) -> Self {
        Self::binary(Operator::Equal, self, other)
    }

    /// 1 if they differ, otherwise 0.
    pub fn differs(self, other: impl Into<Self>) -> Self {
        Self::binary(Operator::Differ, self, other)
    }

    /// 1 if this is less, otherwise 0.
    pub fn is_less_than(self, other: impl Into<Self>) -> Self {
        Self::binary(Operator::Less, self, other)
    }

    /// 1 if this is 0, otherwise 0.
    pub fn is_false(self) -> Self {
        self.equals(0)
    }

    /// 0 if this is 0, otherwise 1.
    fn truth(self) -> Self {
        match self {
            Self::Binary(Operator::Equal | Operator::Differ | Operator::Less, ..) => self,
            other => other.differs(0),
        }
    }

    /// 1 if neither is 0, otherwise 0.
    pub fn and(self, other: impl Into<Self>) -> Self {
        Self::binary(Operator::And, self.truth(), other.into().truth())
    }

    /// 0 if both are 0, otherwise 1.
    pub fn or(self, other: impl Into<Self>) -> Self {
        Self::binary(Operator::Or, self.truth(), other.into().truth())
    }

    /// `then` if this is not 0, otherwise `otherwise`.
    pub fn select(self, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self {
        let [condition, then, otherwise] = [self, then.into(), otherwise.into()].map(Box::new);
        Self::Select(condition, then, otherwise)
    }

    /// Truncates to an integer type.
    pub fn keep(self, integer: Integer) -> Self {
        Self::Keep(integer, Box::new(self))
    }

    /// Evaluates the expression, with `register` as the valuation; `None` if a register that it reads has no known
    /// value.
    ///
    /// # Errors
    ///
    /// If an operator is undefined for an address.
    pub fn evaluate(
        &self,
        register: &impl Fn(Register) -> Option<Value>,
    ) -> Result<Option<Value>, Fault> {
        Ok(match self {
            Self::Constant(value) => Some(*value),
            Self::Register(name) => register(*name),
            Self::Keep(integer, inner) => {
                inner.evaluate(register)?.map(|value| integer.keep(value))
            }
            Self::Binary(operator, left, right) => {
                match (left.evaluate(register)?, right.evaluate(register)?) {
                    (Some(left), Some(right)) => Some(operator.apply(left, right)?),
                    _ => None,
                }
            }
            Self::Select(condition, then, otherwise) => {
                let condition = condition.evaluate(register)?;
                let (then, otherwise) = (then.evaluate(register)?, otherwise.evaluate(register)?);
                match (condition, then, otherwise) {
                    (Some(Value::Number(0)), Some(_), Some(otherwise)) => Some(otherwise),
                    (Some(_), Some(then), Some(_)) => Some(then),
                    _ => None,
                }
            }
        })
    }

    /// Visits every occurrence of a register.
    pub fn registers(&self, visit: &mut impl FnMut(Register)) {
        match self {
            Self::Constant(_) => (),
            Self::Register(register) => visit(*register),
            Self::Keep(_, inner) => inner.registers(visit),
            Self::Binary(_, left, right) => {
                left.registers(visit);
                right.registers(visit);
            }
            Self::Select(condition, then, otherwise) => {
                condition.registers(visit);
                then.registers(visit);
                otherwise.registers(visit);
            }
        }
    }

    /// Formats a part of an expression.
    fn show_part(&self, names: &dyn Names) -> String {
        match self {
            Self::Keep(_, inner) => inner.show_part(names),
            Self::Binary(..) | Self::Select(..) => format!("({})", self.show(names)),
            Self::Constant(_) | Self::Register(_) => self.show(names),
        }
    }

    /// Formats the expression with the names of registers and locations.
    pub fn show(&self, names: &dyn Names) -> String {
        match self {
            Self::Constant(Value::Address(location)) => format!("&{}", names.location(*location)),
            Self::Constant(Value::Number(number)) => number.to_string(),
            Self::Register(register) => names.register(*register),
            Self::Keep(_, inner) => inner.show(names),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.show_part(names), right.show_part(names));
                format!("{left} {} {right}", operator.symbol())
            }
            Self::Select(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|part| part.show_part(names));
                format!("{condition} ? {then} : {otherwise}")
            }
        }
    }
}

/// Names of registers and locations.
pub trait Names {
    /// Name of a register.
    fn register(&self, register: Register) -> String;
    /// Name of a location.
    fn location(&self, location: Location) -> String;
}

/// Names by number.
struct Numbers;

impl Names for Numbers {
    fn register(&self, register: Register) -> String {
        format!("r{}", register.0)
    }

    fn location(&self, location: Location) -> String {
        location.0.to_string()
    }
}

impl Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(&Numbers))
    }
}

impl From<i64> for Expression {
    fn from(number: i64) -> Self {
        Self::Constant(Value::Number(number))
    }
}

impl From<Value> for Expression {
    fn from(value: Value) -> Self {
        Self::Constant(value)
    }
}

impl From<Register> for Expression {
    fn from(register: Register) -> Self {
        Self::Register(register)
    }
}

impl Location {
    /// Address of the location, as an expression.
    pub fn address(self) -> Expression {
        Expression::Constant(Value::Address(self))
    }
}

impl Register {
    /// 1 if both are equal, otherwise 0.
    pub fn equals(self, other: impl Into<Expression>) -> Expression {
        Expression::from(self).equals(other)
    }

    /// 1 if they differ, otherwise 0.
    pub fn differs(self, other: impl Into<Expression>) -> Expression {
        Expression::from(self).differs(other)
    }

    /// 1 if this is less, otherwise 0.
    pub fn is_less_than(self, other: impl Into<Expression>) -> Expression {
        Expression::from(self).is_less_than(other)
    }

    /// 1 if this is 0, otherwise 0.
    pub fn is_false(self) -> Expression {
        self.equals(0)
    }
}

/// Operand of an access: a location, or a computed address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub(crate) address: Expression,
    /// Width of the access in bits, if it has one of its own.
    pub(crate) bits: Option<u32>,
}

impl Place {
    /// Accesses exactly `bits` bits: at a location of another width the thread stops at a fault.
    #[must_use]
    pub fn of_width(self, bits: u32) -> Self {
        let bits = Some(bits);
        Self { bits, ..self }
    }

    /// Expression that gives the address.
    pub fn address(&self) -> &Expression {
        &self.address
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        location.address().into()
    }
}

impl From<Register> for Place {
    fn from(register: Register) -> Self {
        Expression::from(register).into()
    }
}

impl From<Expression> for Place {
    fn from(address: Expression) -> Self {
        Self {
            address,
            bits: None,
        }
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $variant:ident),*) => {$(
        impl<R: Into<Expression>> ops::$operator<R> for Expression {
            type Output = Expression;

            fn $method(self, right: R) -> Expression {
                Expression::binary(Operator::$variant, self, right)
            }
        }

        impl<R: Into<Expression>> ops::$operator<R> for Register {
            type Output = Expression;

            fn $method(self, right: R) -> Expression {
                Expression::binary(Operator::$variant, self.into(), right)
            }
        }
    )*};
}

operators!(
    Add add Add,
    Sub sub Subtract,
    Mul mul Multiply,
    BitAnd bitand And,
    BitOr bitor Or,
    BitXor bitxor Xor,
    Shl shl ShiftLeft,
    Shr shr ShiftRight
);

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &Expression) -> Result<Option<Value>, Fault> {
        expression.evaluate(&|register| (register.0 < 2).then_some(Value::Number(5)))
    }

    #[test]
    fn an_expression_has_a_value_once_its_registers_have() {
        let (a, unknown) = (Register(0), Register(2));
        assert_eq!(value(&((a + 1) * 2)), Ok(Some(12.into())));
        assert_eq!(value(&a.equals(5).and(a.differs(5))), Ok(Some(0.into())));
        assert_eq!(value(&a.equals(4).or(a)), Ok(Some(1.into())));
        assert_eq!(value(&(unknown ^ unknown)), Ok(None));
        let select = |condition: Expression| condition.select(a + 1, a + 2);
        assert_eq!(value(&select(a.equals(5))), Ok(Some(6.into())));
        assert_eq!(value(&select(a.equals(4))), Ok(Some(7.into())));
        assert_eq!(value(&select(unknown.equals(4))), Ok(None));
        // It depends on what it does not select, too.
        assert_eq!(value(&a.equals(5).select(1, unknown)), Ok(None));
        assert_eq!(select(a.into()).show(&Numbers), "r0 ? (r0 + 1) : (r0 + 2)");
        let shifted = Expression::of(Operator::ShiftRightLogical, -1, 63);
        assert_eq!(value(&shifted), Ok(Some(1.into())));
    }

    #[test]
    fn addresses_move_and_compare_and_do_nothing_else() {
        let x = Location(3);
        let fault = Err(Fault::AddressInArithmetic);
        assert_eq!(
            value(&(x.address() + 2)),
            Ok(Some(Value::Address(Location(5))))
        );
        assert_eq!(value(&(x.address() ^ x.address())), Ok(Some(0.into())));
        for same in [Operator::And, Operator::Or] {
            let twice = Expression::of(same, x.address(), x.address());
            assert_eq!(value(&twice), Ok(Some(Value::Address(x))));
            let beside = Expression::of(same, x.address(), Location(4).address());
            assert_eq!(value(&beside), fault);
        }
        assert_eq!(value(&x.address().equals(3)), Ok(Some(0.into())));
        assert_eq!(value(&(x.address() * 2)), fault);
        assert_eq!(value(&x.address().is_less_than(9)), fault);
        assert_eq!(value(&(x.address() - 4)), Err(Fault::NoSuchLocation));
    }

    #[test]
    fn an_integer_keeps_its_bits() {
        let keep = |bits, sign, number: i64| Integer { bits, sign }.keep(number.into());
        assert_eq!(
            keep(32, Sign::Signed, 0x8000_0000),
            Value::Number(-0x8000_0000)
        );
        assert_eq!(keep(32, Sign::Unsigned, -1), Value::Number(0xffff_ffff));
        assert_eq!(keep(8, Sign::Signed, 0x1ff), Value::Number(-1));
        assert_eq!(keep(64, Sign::Unsigned, -1), Value::Number(-1));
        assert_eq!(Integer::I64.keep(i64::MIN.into()), Value::Number(i64::MIN));
    }
}
