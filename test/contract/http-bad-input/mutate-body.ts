import type { Chance } from './chance.ts';
import { hostileNames } from './hostile.ts';
import { Verbatim, withDuplicate } from './json-text.ts';
import { hostileValue, plain, type Schema, validValue, valueAround } from './schema-values.ts';

type Container = Record<string, unknown> | unknown[];
/** A place in a body where a value is, or could be. */
type Slot = { readonly holder: Container; readonly name: string; readonly schema: Schema };

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !(value instanceof Verbatim);
const valueIn = ({ holder, name }: Slot): unknown =>
  Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

// Not by assignment, because `__proto__` is an ordinary name here.
const put = ({ holder, name }: Slot, value: unknown): void =>
  void Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });

const slotsOf = (value: unknown, given: Schema | undefined, found: Slot[] = []): Slot[] => {
  if (!isContainer(value) || found.length > 400) return found;
  const schema = plain(given);
  const known = Array.isArray(value) ? [] : Object.keys(schema.properties ?? {});
  for (const name of new Set([...Object.keys(value), ...known])) {
    const inner = Array.isArray(value) ? schema.items : schema.properties?.[name];
    const slot = { holder: value, name, schema: inner ?? {} };
    found.push(slot);
    slotsOf(valueIn(slot), inner, found);
  }
  return found;
};

const remove = (slot: Slot): void => {
  if (Array.isArray(slot.holder)) slot.holder.splice(Number(slot.name), 1);
  else Reflect.deleteProperty(slot.holder, slot.name);
};

const add = ({ holder }: Slot, chance: Chance): void => {
  const value = hostileValue(chance);
  if (Array.isArray(holder)) holder.push(value);
  else put({ holder, name: chance.pick(hostileNames), schema: {} }, value);
};

const repeatName = (slot: Slot, chance: Chance): void => {
  const value = valueIn(slot);
  const object = isContainer(value) && !Array.isArray(value) ? value : {};
  const name = chance.pick([...Object.keys(object), '__proto__']);
  put(slot, withDuplicate(object, name, hostileValue(chance), chance.is(0.5)));
};

/** Change one place of a body; what the schema says about that place is mostly what it is about. */
const mutateOnce = (body: Container, schema: Schema, chance: Chance): void => {
  const slots = slotsOf(body, schema);
  const slot = slots.length > 0 ? chance.pick(slots) : { holder: body, name: 'a', schema: {} };
  chance.weighted<() => void>([
    [9, () => put(slot, valueAround(slot.schema, chance))],
    [4, () => put(slot, hostileValue(chance))],
    [4, () => put(slot, validValue(slot.schema, chance))],
    [2, () => remove(slot)],
    [1, () => put(slot, null)],
    [1, () => add(slot, chance)],
    [1, () => repeatName(slot, chance)],
    [1, () => put(slot, structuredClone(valueIn(chance.pick(slots.length > 0 ? slots : [slot])) ?? null))],
  ])();
};

/** Change a body in one to three places. It is changed itself. */
export const mutateBody = (body: unknown, schema: Schema, chance: Chance): void => {
  if (!isContainer(body)) return;
  const times = chance.weighted([
    [6, 1],
    [2, 2],
    [1, 3],
  ] as const);
  for (let time = 0; time < times; time++) mutateOnce(body, schema, chance);
};
