// The engine runs polls and deliveries. Jobs only refer to their data, so they can run in this process or in another.
export {};
//# sourceMappingURL=engine.js.map