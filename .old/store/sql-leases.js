export function leaseTableSql(table) {
    return `CREATE TABLE IF NOT EXISTS ${table} (name TEXT PRIMARY KEY, fence BIGINT NOT NULL, holder TEXT NOT NULL, expires BIGINT NOT NULL)`;
}
export function createSqlLeases(read, write, { table, now }) {
    return {
        async take(name, holder, ttlMs, dead) {
            const rows = await write(`INSERT INTO ${table} (name, fence, holder, expires) VALUES ($1, 1, $2, ${now()} + ${Math.ceil(ttlMs)})
         ON CONFLICT (name) DO UPDATE SET fence = ${table}.fence + 1, holder = excluded.holder, expires = excluded.expires
         WHERE ${table}.expires <= ${now()} OR ${table}.fence = ${Math.trunc(dead ?? -1)} RETURNING fence`, [name, holder]);
            return rows[0] ? Number(rows[0].fence) : undefined;
        },
        async renew(name, fence, holder, ttlMs, next = holder) {
            const rows = await write(`UPDATE ${table} SET expires = ${now()} + ${Math.ceil(ttlMs)}, holder = $1
         WHERE name = $2 AND holder = $3 AND fence = ${Math.trunc(fence)} RETURNING fence`, [next, name, holder]);
            return rows.length > 0;
        },
        async read(name) {
            const rows = await read(`SELECT fence, holder, CASE WHEN expires <= ${now()} THEN 1 ELSE 0 END AS expired FROM ${table} WHERE name = $1`, [name]);
            const row = rows[0];
            return row
                ? { fence: Number(row.fence), holder: String(row.holder), expired: Number(row.expired) === 1 }
                : undefined;
        },
        // The row stays: the next holder's fence must be higher than this one's.
        async release(name, fence, holder) {
            await write(`UPDATE ${table} SET holder = '', expires = 0 WHERE name = $1 AND holder = $2 AND fence = ${Math.trunc(fence)}`, [name, holder]);
        },
        async list() {
            const rows = await read(`SELECT name, fence, holder FROM ${table} WHERE expires > ${now()} AND holder <> ''`);
            return rows.map(({ name, fence, holder }) => ({
                name: String(name),
                fence: Number(fence),
                holder: String(holder),
                expired: false,
            }));
        },
        async purge() {
            await write(`DELETE FROM ${table} WHERE name LIKE '%:%' AND expires <= ${now()}`);
        },
    };
}
//# sourceMappingURL=sql-leases.js.map