import { defineConfig } from "vitest/config";
import { singleFile } from "./plugins/single_file";

export default defineConfig({
  cacheDir: "../build/web/cache",
  plugins: [singleFile()],
  build: {
    // Browsers of 2023: DecompressionStream, which reads the data, came to the last of them then.
    target: ["chrome110", "firefox113", "safari16.4"],
    outDir: "../build/web/dist",
    emptyOutDir: true,
    modulePreload: false,
    reportCompressedSize: false,
  },
  test: { include: ["src/**/*.test.ts", "plugins/**/*.test.ts"] },
});
