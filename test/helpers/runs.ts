// How often properties are tried: `npm test` tries each with a tenth of its examples, all other runs with all of them.
export function runs(all: number): number {
  return Math.ceil(all * Number(process.env.TEST_RUNS ?? 1));
}
