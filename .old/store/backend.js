// What a database must offer to the stores: one table (a Keyv with its own store object) for each kind of record, and the
// atomic steps that Keyv does not have. All code above this layer is the same for every database.
/**
 * Each table has its own Keyv and store object. Two Keyvs on one store object would share the namespace that was set
 * last, and clearing one would empty the other.
 */
export const KV_TABLES = [
    'accounts',
    'subscriptions',
    'lookups',
    'ledgers',
    'seen',
    'outcomes',
    'delivered',
    'polls',
    'rejections',
    'notices',
    'marks',
    'cache',
    'history',
    'misc',
    'meta',
];
//# sourceMappingURL=backend.js.map