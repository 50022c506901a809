// Lanes: work that must happen one at a time and in order. Lanes are stored as rows, so a restart loses nothing and
// any process can take the next turn. A queue holds the lanes of one kind of work: polls, or deliveries by one sink.
export {};
//# sourceMappingURL=lanes.js.map