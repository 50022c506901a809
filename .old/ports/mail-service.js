export {};
//# sourceMappingURL=mail-service.js.map