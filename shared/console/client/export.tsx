import { useRef, useState } from 'preact/hooks';
import type { Levy } from '../../client/client.ts';
import { ActionButton, useAction } from './actions.tsx';
import { type CsvPage, type Cursor, exportFile, formats } from './export-file.ts';
import { Button } from './parts.tsx';

/** Downloads a file. */
export const download = (name: string, file: Blob): void => {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

type ExportProps = {
  /** The content of the file, such as `all transactions`. */
  readonly what: string;
  /** The name of the file without its extension. */
  readonly name: string;
  readonly read: (cursor: Cursor, levy: Levy, signal: AbortSignal) => Promise<CsvPage>;
};

/** The buttons that download a whole list as CSV or XLSX, page by page, with the progress and a button to cancel. */
export const Export = ({ what, name, read }: ExportProps) => {
  const [count, setCount] = useState(0);
  const running = useRef<AbortController | null>(null);
  const actions = formats.map((format) =>
    useAction(
      (levy, _key, unmounted) => {
        setCount(0);
        running.current = new AbortController();
        const signal = AbortSignal.any([unmounted, running.current.signal]);
        return exportFile(format, { read: (cursor) => read(cursor, levy, signal), onRows: setCount });
      },
      (file) => download(`${name}.${format.toLowerCase()}`, file),
    ),
  );
  const isRunning = actions.some((action) => action.isRunning);
  return (
    <>
      {formats.map((format, at) => (
        <ActionButton
          key={format}
          action={actions[at] as (typeof actions)[0]}
          label={`Download ${what} as ${format}`}
        />
      ))}
      {isRunning && <Button onClick={() => running.current?.abort()}>Cancel the download</Button>}
      <span role="status">{isRunning && `${count.toLocaleString('en-US')} rows read …`}</span>
    </>
  );
};
