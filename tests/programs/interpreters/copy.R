# Writes and reads files in each way that R has: connections, whole vectors, compressed objects, forked workers.
size <- function(number) 1000 * number + 8
made <- function(number) file.path("made", paste0("f", number))
dir.create("made")
whole <- function(number) {
  writeBin(raw(size(number)), made(number))
  length(readBin(made(number), "raw", 10 * size(number)))
}
lines <- function(number) {
  out <- file(made(number), "w")
  for (i in seq_len(size(number) / 8)) writeLines("1234567", out)
  close(out)
  input <- file(made(number), "rb")  # as text R would look into it for compression first
  on.exit(close(input))
  sum(nchar(readLines(input)) + 1)
}
bytes <- sum(sapply(1:20, whole), sapply(21:30, lines), unlist(parallel::mclapply(31:59, whole, mc.cores = 3)))
saveRDS(1:10, "objects")
stopifnot(identical(readRDS("objects"), 1:10))
cat(bytes, "\n")
