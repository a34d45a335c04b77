/** The words of one command as a shell reads them: quotes, backslashes, and variables outside of single quotes. */
export const shellWords = (command: string, variables: Readonly<Record<string, string>>): readonly string[] => {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const character = command.charAt(at);
    if (quote === "'" ? character === "'" : character === '"' && quote === '"') quote = '';
    else if (quote === "'") word += character;
    else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      at++;
      // A line that ends with one goes on in the next.
      if (command.charAt(at) !== '\n') word = (word ?? '') + command.charAt(at);
    } else if (character === '$') {
      const [name = ''] = /^\w+/.exec(command.slice(at + 1)) ?? [];
      const value = variables[name];
      if (value === undefined) throw new Error(`The command asks for $${name}, which nobody set.`);
      word = (word ?? '') + value;
      at += name.length;
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw new Error('A quote of the command is not closed.');
  return word === null ? words : [...words, word];
};

/** A curl command of the documentation as the request that it sends; an option that it does not use is refused. */
export const curlRequest = (command: string, variables: Readonly<Record<string, string>>) => {
  const [curl, silent, ...words] = shellWords(command, variables);
  if (curl !== 'curl' || silent !== '-sS') throw new Error(`Not a command of the documentation: ${command}`);
  const headers: Record<string, string> = {};
  let method: string | null = null;
  let url = '';
  let rawBody: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const option = word.startsWith('-') ? (words[++at] ?? '') : '';
    if (word === '-X') method = option;
    else if (word === '-d') rawBody = option;
    else if (word === '-H') {
      const [name = '', value = ''] = option.split(/: (.*)/s);
      headers[name] = value;
    } else if (option === '' && url === '') url = word;
    else throw new Error(`An option that is not expected: ${word}`);
  }
  return { method: method ?? (rawBody === null ? 'GET' : 'POST'), url, headers, rawBody };
};
