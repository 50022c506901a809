export {};
//# sourceMappingURL=admin-service.js.map