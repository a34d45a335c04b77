import { prettyJson } from './code-block.ts';
import { examplesOf } from './examples.ts';
import { html, type Markup, type Part } from './html.ts';
import type { Parameter } from './openapi.ts';
import type { Told } from './reading.ts';

const options = ({ schema }: Parameter): readonly string[] | null => {
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  return values ? values.filter((value) => value !== null).map(String) : null;
};

const control = (id: string, parameter: Parameter): Markup => {
  const { name, in: place, required, example, schema } = parameter;
  const values = options(parameter);
  const common = html`id="${id}" name="${name}" data-in="${place}"${required && html` required`}`;
  if (values)
    return html`<select ${common}>${!required && html`<option value="">not sent</option>`}${values.map((value) => html`<option>${value}</option>`)}</select>`;
  const isFilledIn = place === 'path' || (place === 'query' && example !== undefined);
  const value = isFilledIn ? String(example ?? '') : '';
  const hint = isFilledIn ? '' : String(example ?? schema.examples?.[0] ?? schema.default ?? '');
  return html`<input ${common} value="${value}" placeholder="${hint}" autocomplete="off" autocapitalize="off" spellcheck="false">`;
};

const field = (told: Told, parameter: Parameter): Markup => {
  const id = `try-${told.id}-${parameter.name.replaceAll(/\W+/g, '-')}`;
  return html`<div class="control"><label for="${id}"><code>${parameter.name}</code> <span class="presence">${parameter.in}</span></label>${control(id, parameter)}</div>`;
};

const bodyField = (told: Told): Part => {
  if (!told.body) return null;
  const examples = examplesOf(told);
  const id = `try-${told.id}-body`;
  const text = prettyJson(examples[0]?.body);
  return html`<div class="control"><label for="${id}">Body <span class="presence">JSON</span></label>
${examples.length > 1 && html`<select data-examples aria-label="Start from an example">${examples.map(({ summary, body }) => html`<option value="${prettyJson(body)}">${summary}</option>`)}</select>`}
<textarea id="${id}" data-body rows="${Math.min(18, text.split('\n').length + 1)}" spellcheck="false" autocapitalize="off">${text}</textarea></div>`;
};

/** A form that sends the request with the reader's key. It needs the page's script, and is not shown without it. */
export const tryIt = (told: Told): Markup => {
  const isPublic = told.operation.security?.length === 0;
  const others = told.parameters.filter((parameter) => parameter.in !== 'path');
  return html`<details class="try" data-try hidden><summary>Try it</summary>
<form data-method="${told.method}" data-path="${told.path}"${isPublic && html` data-public`} autocomplete="off"><div>
${told.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => field(told, parameter))}
${bodyField(told)}
${others.length > 0 && html`<details class="inside"><summary>${others.length === 1 ? '1 parameter' : `${others.length} parameters and headers`}</summary>${others.map((parameter) => field(told, parameter))}</details>`}
<p class="send"><button type="submit">Send ${told.method}</button> <span class="hint" data-hint></span></p></div>
<div class="result" role="status" aria-live="polite"><p class="hint">The answer will stand here: status, headers and body.</p></div>
</form></details>`;
};
