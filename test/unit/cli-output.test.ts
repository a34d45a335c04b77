import { describe, expect, it, vi } from 'vitest';
import { print, printJson } from '../../shared/cli/terminal/output.ts';

/** What a command writes to standard output. */
const written = (run: () => void): string => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  run();
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('');
  write.mockRestore();
  return text;
};

const hostile = 'a\u001b[2J\u001b]0;title\u0007\u009b31mb\u202ec\rd';

describe('output of commands', () => {
  it('has no control character of a file or client, and keeps lines, tabs and the ends of CSV lines', () => {
    expect(written(() => print(`one\ttwo\r\n${hostile}`))).toBe('one\ttwo\r\na?[2J?]0;title??31mb?c?d\n');
  });

  it('has them escaped in JSON, with the same value', () => {
    const text = written(() => printJson({ hostile, emoji: '🧾' }));
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    expect(JSON.parse(text)).toEqual({ hostile, emoji: '🧾' });
  });
});
