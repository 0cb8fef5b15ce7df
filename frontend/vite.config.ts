// One ES module with a content hash and a manifest, for tb_perfcompare/plugin to serve.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const versionFile = readFileSync(new URL('../tb_perfcompare/_version.py', import.meta.url), 'utf8');
const version = /__version__ = "([^"]+)"/.exec(versionFile)?.[1];
if (!version) throw new Error('tb_perfcompare/_version.py: no __version__ found');

export default defineConfig({
  base: './',
  define: { PAGE_VERSION: JSON.stringify(version) },
  build: {
    outDir: '../tb_perfcompare/static',
    emptyOutDir: true,
    assetsDir: '',
    manifest: 'manifest.json',
    modulePreload: false,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'], // the first with all that the sheets use: light-dark(), :has()
    rollupOptions: {
      input: 'src/main.tsx',
      // parts that are fetched later take what they share with the entry from it, so the first request is the only one
      preserveEntrySignatures: 'allow-extension',
      output: {
        // all that the entry needs stands in it, however many parts share it
        codeSplitting: { groups: [{ name: 'index', test: /src\/main\.tsx$/ }] },
        entryFileNames: 'index-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
});
