// Runs in a fresh process what an instance of a function does: load the bundle, and answer one event.
const { subscribe } = require('node:diagnostics_channel');
const { writeSync } = require('node:fs');

const [, , bundle, event] = process.argv;
let replied = Number.NaN;
// Node tells of each HTTP response that a client gets, when its head has been read. The first one counts.
subscribe('http.client.response.finish', () => {
  if (Number.isNaN(replied)) replied = performance.now();
});

const started = performance.now();
const { handler } = require(bundle);
const imported = performance.now();
handler(JSON.parse(event), { getRemainingTimeInMillis: () => 9000 }).then(({ statusCode }) => {
  const times = { imported: imported - started, replied: replied - started, answered: performance.now() - started };
  writeSync(1, JSON.stringify({ statusCode, ...times }));
  process.exit(0);
});
