/** Returns the shipping charges of a response as a list. */
export const shippingCharges = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): readonly Charge[] =>
  [shipping ?? []].flat() as Charge[];

/** Returns the only shipping charge of a response; `undefined` without one. Throws if there are several. */
export const onlyShipping = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): Charge | undefined => {
  const [only, ...others] = shippingCharges(shipping);
  if (others.length > 0) throw new Error('The answer has several shipping charges.');
  return only;
};
