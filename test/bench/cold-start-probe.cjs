// Does in a new process what an instance of a function does: it loads the bundle and answers one event.
const { subscribe } = require('node:diagnostics_channel');
const { writeSync } = require('node:fs');

const [, , bundle, event] = process.argv;
let replied = Number.NaN;
// Node publishes an event when a client has read the head of an HTTP response. The first response counts.
subscribe('http.client.response.finish', () => {
  if (Number.isNaN(replied)) replied = performance.now();
});

const started = performance.now();
const { handler } = require(bundle);
const imported = performance.now();
handler(JSON.parse(event), { getRemainingTimeInMillis: () => 9000 }).then(({ statusCode, body }) => {
  const times = { imported: imported - started, replied: replied - started, answered: performance.now() - started };
  writeSync(1, statusCode === 200 ? JSON.stringify(times) : body);
  process.exit(statusCode === 200 ? 0 : 1);
});
