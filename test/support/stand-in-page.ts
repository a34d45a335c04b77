import { attribute, type Element, textOf } from './docs-page.ts';

const childElements = ({ childNodes }: Element) => childNodes.filter((one): one is Element => 'tagName' in one);

/** As much of an element as the page's script asks of it, made of the page's own. */
export class StandIn {
  readonly dataset: Readonly<Record<string, string>>;
  readonly name: string;
  value: string;
  hidden = true;
  textContent = '';
  readonly inner: readonly StandIn[];
  readonly classes = new Set<string>();
  readonly classList = {
    contains: (name: string) => this.classes.has(name),
    toggle: (name: string, isOn: boolean) => void (isOn ? this.classes.add(name) : this.classes.delete(name)),
  };
  readonly attributes = new Map<string, string>();
  readonly #listeners = new Map<string, () => void>();
  readonly tagName: string;
  readonly id: string;

  constructor(element: Element) {
    this.tagName = element.tagName;
    this.id = attribute(element, 'id') ?? '';
    this.name = attribute(element, 'name') ?? '';
    this.value = attribute(element, 'value') ?? (element.tagName === 'textarea' ? textOf(element) : '');
    this.dataset = Object.fromEntries(
      element.attrs.filter(({ name }) => name.startsWith('data-')).map(({ name, value }) => [name.slice(5), value]),
    );
    this.inner = childElements(element)
      .map((one) => new StandIn(one))
      .flatMap((one) => [one, ...one.inner]);
  }

  readonly setAttribute = (name: string, value: string): void => void this.attributes.set(name, value);
  readonly addEventListener = (event: string, listener: () => void): void => void this.#listeners.set(event, listener);
  readonly click = (): void => this.#listeners.get('click')?.();
  readonly closest = (): null => null;

  /** Knows `[data-name]`, `[data-name="value"]`, `#id` and `tag`, the last of which may stand after another. */
  readonly querySelectorAll = (selector: string): readonly StandIn[] =>
    selector
      .split(' ')
      .reduce<readonly StandIn[]>((under, part) => [...new Set(under.flatMap((one) => one.#matching(part)))], [this]);
  readonly querySelector = (selector: string): StandIn | null => this.querySelectorAll(selector)[0] ?? null;

  readonly #matching = (part: string): readonly StandIn[] => {
    const [, name, , value] = /^\[data-(\w+)(="(\w+)")?\]$/.exec(part) ?? [];
    return this.inner.filter((one) =>
      name !== undefined
        ? name in one.dataset && (value === undefined || one.dataset[name] === value)
        : part === `#${one.id}` || part === one.tagName,
    );
  };
}
