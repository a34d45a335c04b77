/**
 * Why a part of the gross is exempt, as returns need it: the buyer resells, the buyer is exempt otherwise, SNAP benefits
 * paid, a marketplace collects, or the account was not registered on the tax day. The rest is exempt because of the product.
 */
export const namedExemptions = ['resale', 'customer', 'snap', 'marketplace', 'not_registered'] as const;
export type NamedExemption = (typeof namedExemptions)[number];

/** Why an entry needs attention before the return is sent. */
export const exceptionReasons = ['not_covered', 'over_collected', 'under_collected'] as const;
export type ExceptionReason = (typeof exceptionReasons)[number];
