import { prettyJson } from './code.ts';
import { html, type Markup, type Part } from './html.ts';
import { isPublic, type Operation, type Parameter } from './openapi.ts';
import { examplesOf } from './samples.ts';

const control = (id: string, { name, in: place, required, example, schema }: Parameter): Markup => {
  const values = schema.type === 'boolean' ? [true, false] : schema.enum?.filter((value) => value !== null);
  const common = html`id="${id}" name="${name}" data-in="${place}"${required && html` required`}`;
  if (values)
    return html`<select ${common}>${!required && html`<option value="">not sent</option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select>`;
  const isFilledIn = place !== 'header' && (place === 'path' || example !== undefined);
  const value = isFilledIn ? String(example ?? '') : '';
  const hint = isFilledIn ? '' : String(example ?? schema.examples?.[0] ?? schema.default ?? '');
  return html`<input ${common} value="${value}" placeholder="${hint}" autocomplete="off" autocapitalize="off" spellcheck="false">`;
};

const field = (operationId: string, parameter: Parameter): Markup => {
  const id = `try-${operationId}-${parameter.name.replaceAll(/\W+/g, '-')}`;
  return html`<div class="control"><label for="${id}"><code>${parameter.name}</code> <span class="presence">${parameter.in}</span></label>${control(id, parameter)}</div>`;
};

const bodyField = (operation: Operation): Part => {
  if (!operation.requestBody) return null;
  const examples = examplesOf(operation);
  const id = `try-${operation.operationId}-body`;
  const text = prettyJson(examples[0]?.body);
  return html`<div class="control"><label for="${id}">Body <span class="presence">JSON</span></label>
${examples.length > 1 && html`<select data-examples aria-label="Start from an example">${examples.map(({ summary, body }) => html`<option value="${prettyJson(body)}">${summary}</option>`)}</select>`}
<textarea id="${id}" data-body rows="${Math.min(18, text.split('\n').length + 1)}" spellcheck="false" autocapitalize="off">${text}</textarea></div>`;
};

/** A form that sends a request with the reader's key. It needs the script of the page, and is hidden without it. */
export const tryForm = (operation: Operation, writes: boolean): Markup => {
  const { operationId, method, path, parameters } = operation;
  const fieldOf = (parameter: Parameter) => field(operationId, parameter);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const others = parameters.filter((parameter) => parameter.in !== 'path');
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}"${isPublic(operation) && html` data-public`} autocomplete="off"><div>
${inPath.map(fieldOf)}
${bodyField(operation)}
${others.length > 0 && html`<details class="inside"><summary>${others.length === 1 ? '1 parameter' : `${others.length} parameters and headers`}</summary>${others.map(fieldOf)}</details>`}
<p class="send"><button type="submit">Send ${method}</button> <span class="hint">${writes && "Writes to your key's account."}</span></p></div>
<div class="result" role="status" aria-live="polite"><p class="hint">The response appears here: status, headers and body.</p></div>
</form></details>`;
};
