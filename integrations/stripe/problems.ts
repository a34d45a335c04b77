/** Thrown for an invoice that Levy cannot tax or record as it is. `code` names the reason. */
export class UnsupportedInvoice extends Error {
  override readonly name = 'UnsupportedInvoice';
  readonly code: string;
  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}
