/** Whether `npm run test:long` runs, which repeats the random tests with more values. */
export const isLong = process.env['MODE'] === 'long';
