import { expect, it } from 'vitest';
import { AccountAnswer } from '../../shared/accounts/response.ts';
import {
  accountAnswerFields,
  calculationAnswerFields,
  filingAnswerFields,
  transactionAnswerFields,
} from '../../shared/calculations/answer-fields.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { Calculation } from '../../shared/calculations/response.ts';
import { Filing } from '../../shared/filings/response.ts';
import { TransactionRequest } from '../../shared/ledger/request.ts';
import { RetrievedTransaction } from '../../shared/ledger/response.ts';
import { AccountUpdate } from '../../shared/settings/request.ts';

type Definition = {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
};
type Schema = { readonly _zod: { readonly def: Definition } };
type Fields = { readonly [name: string]: true | Fields };

const definitionOf = (schema: Schema): Definition => {
  const { def } = schema._zod;
  if (def.innerType) return definitionOf(def.innerType);
  // An object or a list of objects.
  if (def.options?.[0]) return definitionOf(def.options[0]);
  return def.type === 'array' ? definitionOf(def.element as Schema) : def;
};

/** Returns the fields of the response schema that the request schema does not have. */
const beside = (request: Schema, answer: Schema): Fields => {
  const [sent, answered] = [definitionOf(request).shape, definitionOf(answer).shape];
  if (!sent || !answered) return {};
  const entries = Object.entries(answered).map(([name, schema]): [string, true | Fields] => [
    name,
    name in sent ? beside(sent[name] as Schema, schema) : true,
  ]);
  return Object.fromEntries(entries.filter(([, below]) => below === true || Object.keys(below).length > 0));
};

it.each([
  ['a calculation', CalculationRequest, Calculation, calculationAnswerFields],
  ['an account', AccountUpdate, AccountAnswer, accountAnswerFields],
  ['a transaction', TransactionRequest, RetrievedTransaction, transactionAnswerFields],
])('lists every response field of %s that is not in its request', (_name, request, answer, fields) => {
  expect(fields).toEqual(beside(request, answer));
});

it('lists every response field of a filing, which two requests return', () => {
  expect(Object.keys(filingAnswerFields)).toEqual(Object.keys(Filing.shape));
});
