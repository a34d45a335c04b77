/** The progress of long work with a known size, in any unit. */
export type Progress = {
  /** `done` of the total so far. */
  readonly reach: (done: number, message: string) => void;
  readonly finish: (message: string) => void;
  readonly fail: (message: string) => void;
};

/** Where imports and updates report: the terminal of a command, or the log of a function. */
export type Reporter = {
  readonly print: (line: string) => void;
  /** Show the progress of work. An error ends it with the text `failed`. */
  readonly withProgress: <Value>(
    title: string,
    total: number,
    failed: string,
    run: (progress: Progress) => Promise<Value>,
  ) => Promise<Value>;
};
