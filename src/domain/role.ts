// The roles of a process of the service.

/** all: everything; control: gateway, commands, pages and upkeep; worker: polls and deliveries. */
export type Role = 'all' | 'control' | 'worker';

export const ROLES: readonly Role[] = ['all', 'control', 'worker'];
