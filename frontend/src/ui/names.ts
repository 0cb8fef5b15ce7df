// Short forms of long names, which the server's answers give; tooltips, row details and exports have the full name.

export type ShortNames = Record<string, string>;

/** The short form of a name; the name itself if it has none. */
export const shortOf = (names: ShortNames | undefined, name: string): string => (names && Object.hasOwn(names, name) ? names[name]! : name);
