// The roles of a process of the service.
export const ROLES = ['all', 'control', 'worker'];
//# sourceMappingURL=role.js.map