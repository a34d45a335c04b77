import * as z from 'zod/mini';
import { certificateReasons } from '../../calculations/fields.ts';
import type { Customer } from '../../customers/customer.ts';
import { customerKey } from '../keys.ts';

const day = z.nullable(z.string());

const Item = z.object({
  sk: z.string(),
  name: z.nullable(z.string()),
  exemptions: z.array(
    z.object({
      states: z.nullable(z.array(z.string())),
      reason: z.enum(certificateReasons),
      certificate_number: z.nullable(z.string()),
      valid_from: day,
      valid_to: day,
    }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
});

/** The item of a customer. It has neither `account` nor `id`: the table's indexes hold transactions only. */
export const customerItem = (account: string, { id, ...customer }: Customer): Record<string, unknown> => ({
  ...customerKey(account, id),
  ...customer,
});

const Certified = z.pick(Item, { sk: true, exemptions: true });

/** The id of a customer with its certificates, of an item that was read with these attributes only. */
export const certifiedFrom = (item: unknown): readonly [string, Customer['exemptions']] => {
  const { sk: id, exemptions } = Certified.parse(item);
  return [id, exemptions];
};

/** The customer of an item. Throws where the item is not what `customerItem` makes. */
export const customerFrom = (item: unknown): Customer => {
  const { sk: id, ...customer } = Item.parse(item);
  return { id, ...customer };
};
