export {};
//# sourceMappingURL=stores.js.map