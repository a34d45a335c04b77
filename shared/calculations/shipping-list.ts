/** `shipping` of a request or a response: none, one charge as an object, or a list of charges. */
type OneOrMany<Charge> = Charge | Charge[] | null | undefined;

const isList = <Charge>(shipping: OneOrMany<Charge>): shipping is Charge[] => Array.isArray(shipping);

/** The charges as a list. */
export const shippingList = <Charge>(shipping: OneOrMany<Charge>): readonly Charge[] =>
  isList(shipping) ? shipping : shipping ? [shipping] : [];

/** Replaces each charge, and keeps the form in which they were sent. */
export const mapShipping = <From, To>(
  shipping: OneOrMany<From>,
  replace: (charge: From, index: number) => To,
): To | To[] | null => (isList(shipping) ? shipping.map(replace) : shipping ? replace(shipping, 0) : null);

/** The JSON Pointer of a charge in the document. */
export const shippingPointer = (shipping: OneOrMany<unknown>, index: number): string =>
  isList(shipping) ? `/shipping/${index}` : '/shipping';
