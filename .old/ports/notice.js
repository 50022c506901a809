// How owners are notified of what needs their attention. A messenger is anything that can reach a person.
export {};
//# sourceMappingURL=notice.js.map