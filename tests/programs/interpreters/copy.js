// Writes and reads files in each way that Node has: at once, by promises, as streams, in worker threads.
const fs = require("fs"), path = require("path");
const { Worker, isMainThread, workerData } = require("worker_threads");
const size = (number) => 1000 * number + 7;
const made = (number) => path.join("made", `f${number}`);

async function promises(from, to) {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  await Promise.all(numbers.map((number) => fs.promises.writeFile(made(number), Buffer.alloc(size(number), "p"))));
  const read = await Promise.all(numbers.map((number) => fs.promises.readFile(made(number))));
  return read.reduce((sum, content) => sum + content.length, 0);
}

function stream(number) {
  return new Promise((resolve, reject) => {
    const out = fs.createWriteStream(made(number));
    for (let left = size(number); left > 0; left -= 500) out.write(Buffer.alloc(Math.min(left, 500), "s"));
    out.end(() => {
      let bytes = 0;
      fs.createReadStream(made(number)).on("data", (part) => (bytes += part.length)).on("end", () => resolve(bytes))
        .on("error", reject);
    });
  });
}

async function main() {
  fs.mkdirSync("made");
  let bytes = 0;
  for (let number = 0; number < 10; ++number) {
    fs.writeFileSync(made(number), Buffer.alloc(size(number), "s"));
    bytes += fs.readFileSync(made(number)).length;
  }
  bytes += await promises(10, 40);
  for (let number = 40; number < 45; ++number) bytes += await stream(number);
  const workers = [45, 50, 55].map((from) => new Promise((resolve, reject) =>
    new Worker(__filename, { workerData: from }).on("exit", resolve).on("error", reject)));
  await Promise.all(workers);
  console.log(bytes);
}

if (isMainThread) main();
else promises(workerData, workerData + 5);
