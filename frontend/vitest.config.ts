import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { PAGE_VERSION: JSON.stringify('0.0.0-test') },
  // one environment for all files: making one for each takes ten times as long as the tests
  test: { environment: 'happy-dom', include: ['test/**/*.test.{ts,tsx}'], pool: 'threads', isolate: false },
});
