// What the process provides to all layers: the time, the log and the counters. They are passed in, never imported, so
// a test can set the time and read the log.
export {};
//# sourceMappingURL=system.js.map