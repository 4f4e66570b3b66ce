import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.stream.IntStream;

/** Writes and reads files in each way that Java has: streams, buffers at positions, whole files, many threads. */
public class Copy {
  static int size(int number) { return 1000 * number + 7; }
  static Path made(int number) { return Paths.get("made", "f" + number); }

  static long streams(int number) throws IOException {
    try (OutputStream out = new BufferedOutputStream(new FileOutputStream(made(number).toFile()))) {
      for (int i = 0; i < size(number); ++i) out.write('s');
    }
    try (InputStream in = new FileInputStream(made(number).toFile())) {
      return in.readAllBytes().length;
    }
  }

  static long channels(int number) throws IOException {
    try (FileChannel file = FileChannel.open(made(number), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(size(number));
      while (buffer.hasRemaining()) file.write(buffer, buffer.position());
      buffer.clear();
      return file.read(buffer, 0);
    }
  }

  static long whole(int number) {
    try {
      Files.write(made(number), new byte[size(number)]);
      return Files.readAllBytes(made(number)).length;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  public static void main(String[] arguments) throws IOException {
    Files.createDirectory(Paths.get("made"));
    long bytes = 0;
    for (int i = 0; i < 20; ++i) bytes += streams(i);
    for (int i = 20; i < 40; ++i) bytes += channels(i);
    bytes += IntStream.range(40, 60).parallel().mapToLong(Copy::whole).sum();
    System.out.println(bytes);
  }
}
