/** The shipping charges of an answer as a list. */
export const shippingCharges = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): readonly Charge[] =>
  [shipping ?? []].flat() as Charge[];

/** The only shipping charge of an answer; `undefined` without one. Throws where there are several. */
export const onlyShipping = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): Charge | undefined => {
  const [only, ...others] = shippingCharges(shipping);
  if (others.length > 0) throw new Error('The answer has several shipping charges.');
  return only;
};
