/** Run something for each value, a few at once, and answer in the order of the values. */
export const inOrder = async function* <Value, Result>(
  values: Iterable<Value>,
  atOnce: number,
  run: (value: Value) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  const started = (value: Value) => {
    const result = run(value);
    // If the consumer stops early, nothing awaits the other results: avoid unhandled rejections.
    result.catch(() => undefined);
    return result;
  };
  for (const value of values) {
    running.push(started(value));
    const [first] = running;
    if (running.length < atOnce || !first) continue;
    running.shift();
    yield await first;
  }
  for (const result of running) yield await result;
};
