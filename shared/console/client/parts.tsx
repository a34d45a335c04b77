import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { dueText, getTone, instantText, type Money, money, type Period, periodName, toWords } from './format.ts';
import { linkTo } from './route.ts';
import { actorName, useSession } from './session.ts';

type ValueProps<Value> = { readonly value: Value };

/** An amount in a currency. */
export const Amount = ({ value, currency }: ValueProps<string> & { currency?: string }) => (
  <span class="amount">{money(value, currency)}</span>
);

/** Amounts of several currencies, one below the other. */
export const Amounts = ({ value }: ValueProps<readonly Money[]>) => (
  <>
    {value.map(({ currency, amount }) => (
      <div key={currency}>
        <Amount value={amount} currency={currency} />
      </div>
    ))}
  </>
);

export const Status = ({ value, tone = value }: ValueProps<string> & { tone?: string }) => (
  <span class={`status ${tone.replaceAll(' ', '_')}`}>{toWords(value)}</span>
);

/** A timestamp in the account's time zone. */
export const Instant = ({ value }: ValueProps<string>) => (
  <time dateTime={value}>{instantText(value, useSession().account.time_zone)}</time>
);

/** The name of a credential that acted. The tooltip is its immutable id. */
export const Actor = ({ value }: ValueProps<string>) => (
  <span class="actor" title={value}>
    {actorName(useSession().account, value)}
  </span>
);

/** A link to the filing of a period, or to its dry run if it has none. */
export const PeriodLink = ({ value }: ValueProps<Period & { readonly id?: string | null }>) => (
  <a class="period" href={linkTo(value.id ? ['filings', value.id] : ['filings', value.state, value.period_end])}>
    {periodName(value)}
  </a>
);

/** A message from the API. Text in backticks is shown as code. */
export const Message = ({ value }: ValueProps<string>) => (
  <>{value.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** The warnings of a response. */
export const Warnings = ({ value }: ValueProps<readonly { readonly message: string }[]>) => (
  <>
    {value.map(({ message }, at) => (
      <p key={at} class="notice">
        <Message value={message} />
      </p>
    ))}
  </>
);

/** A section of a view with its title. */
export const Panel = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
};

type Named = readonly [name: string, value: ComponentChildren, tone?: 'bad' | 'warn' | false];

const Definitions = ({ value, kind }: ValueProps<readonly Named[]> & { kind: 'cards' | 'facts' }) => (
  <dl class={kind}>
    {value.map(([name, value, tone]) => (
      <div key={name} class={tone || ''}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** The key figures at the top of a view. */
export const Cards = ({ value }: ValueProps<readonly (Named | false)[]>) => (
  <Definitions value={value.filter((card) => card !== false)} kind="cards" />
);

/** A button that does not submit its form. */
export const Button = ({ onClick, children }: { onClick: () => void; children: ComponentChildren }) => (
  <button type="button" onClick={onClick}>
    {children}
  </button>
);

/** A list of names and values. Entries without a value are omitted. */
export const Facts = ({ value }: ValueProps<Readonly<Record<string, ComponentChildren>>>) => (
  <Definitions value={Object.entries(value).filter(([, fact]) => fact || fact === 0)} kind="facts" />
);

/** A text with a button that copies it, where the browser allows it: in secure contexts. */
export const Copied = ({ value, children }: ValueProps<string> & { children: ComponentChildren }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <span class="copied">
      {children}
      {navigator.clipboard && (
        <button type="button" aria-label={`Copy ${value}`} aria-live="polite" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
};

/** A link to a transaction. */
export const TransactionLink = ({
  value: { id, reference_id },
}: ValueProps<{ id: string; reference_id: string | null }>) => (
  <a href={linkTo(['transactions', id])}>{reference_id ?? id}</a>
);

/** A due date with the days left until then, if the return is not filed. */
export const DueDate = ({
  value: { due_date, days_until_due: days },
}: ValueProps<Pick<Schemas['Filing'], 'due_date' | 'days_until_due'>>) =>
  due_date === null ? (
    <>not established</>
  ) : (
    <>
      {due_date} {days !== null && <span class={`chip ${getTone(days)}`}>{dueText(days)}</span>}
    </>
  );
