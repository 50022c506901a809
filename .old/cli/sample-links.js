/** Returns links below `base`, which is PUBLIC_URL. */
export function sampleLinks(base) {
    const to = (path) => () => `${base}/${path}/sample`;
    return {
        unsubscribe: to('unsubscribe'),
        resubscribe: to('resubscribe'),
        preferences: to('preferences'),
        edition: to('editions'),
        feed: to('feed'),
        confirm: to('confirm'),
    };
}
//# sourceMappingURL=sample-links.js.map