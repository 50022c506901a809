// A process of the tests ends when the run that started it ends, also when the run is killed. Its child processes end with it, see
// bound.ts.
process.once('disconnect', () => process.exit(1));
