/** Version of the package this page was built with (vite.config.ts). */
declare const PAGE_VERSION: string;
