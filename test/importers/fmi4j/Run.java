import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import no.ntnu.ihb.fmi4j.importer.fmi2.CoSimulationSlave;
import no.ntnu.ihb.fmi4j.importer.fmi2.Fmu;

/**
 * FMI4j on the JVM as the importer.
 *
 * <pre>
 *   Run trace  FMU STEPS SIZE TRIPLE REALS INTEGERS BOOLEANS   prints one line "step HEX VALUE..." for each step
 *   Run stress FMU STEPS SIZE TRIPLE REALS INTEGERS BOOLEANS   the same, after eight threads have run an instance each
 *                                                              while the JVM used its signals for its own purposes
 * </pre>
 *
 * Variables are given as value references with commas between them. The last line is "done".
 */
public class Run {
    static final int THREADS = 8;
    static sun.misc.Unsafe memory;

    final int steps;
    final double size;
    final long[] triple, reals, integers, booleans;

    Run(String[] a) {
        steps = Integer.parseInt(a[2]);
        size = Double.parseDouble(a[3]);
        triple = references(a[4]);
        reals = references(a[5]);
        integers = references(a[6]);
        booleans = references(a[7]);
    }

    static long[] references(String list) {
        return Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
    }

    public static void main(String[] a) throws Exception {
        Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        memory = (sun.misc.Unsafe) field.get(null);
        Run run = new Run(a);
        try (Fmu fmu = Fmu.from(new File(a[1]))) {
            if (a[0].equals("stress")) {
                run.stress(fmu);
            }
            run.trace(fmu, "dut", () -> {}).forEach(System.out::println);
        }
        System.out.println("done");
    }

    /** Simulates one instance; between() is called before each step. */
    List<String> trace(Fmu fmu, String name, Runnable between) throws Exception {
        List<String> lines = new ArrayList<>();
        CoSimulationSlave slave;
        // FMI4j keeps the instances of an Fmu in an ArrayList without a lock, so threads must take turns.
        synchronized (fmu) {
            slave = fmu.asCoSimulationFmu().newInstance(name, false, false);
        }
        try (slave) {
            check(slave.setupExperiment(0, 0, 0), "setupExperiment");
            check(slave.enterInitializationMode(), "enterInitializationMode");
            check(slave.exitInitializationMode(), "exitInitializationMode");
            for (int k = 0; k < steps; k++) {
                between.run();
                check(slave.doStep(k * size, size), "doStep");
                lines.add(line(slave));
            }
            check(slave.terminate(), "terminate");
        }
        return lines;
    }

    String line(CoSimulationSlave slave) {
        int[] parts = new int[3], i = new int[integers.length];
        double[] r = new double[reals.length];
        boolean[] b = new boolean[booleans.length];
        slave.readInteger(triple, parts);
        slave.readReal(reals, r);
        slave.readInteger(integers, i);
        slave.readBoolean(booleans, b);
        byte[] message = new byte[parts[2]];
        long address = (parts[1] & 0xffffffffL) << 32 | (parts[0] & 0xffffffffL);
        memory.copyMemory(null, address, message, sun.misc.Unsafe.ARRAY_BYTE_BASE_OFFSET, message.length);
        String values = Arrays.toString(r) + Arrays.toString(i) + Arrays.toString(b);
        return "step " + HexFormat.of().formatHex(message) + values.replaceAll("[\\[\\],]+", " ");
    }

    static void check(boolean good, String what) {
        if (!good) {
            throw new IllegalStateException(what + " has failed");
        }
    }

    /** Eight instances on eight threads must see the same, whatever the JVM does with SIGSEGV meanwhile. */
    void stress(Fmu fmu) throws Exception {
        List<Callable<List<String>>> traces = new ArrayList<>();
        for (int n = 0; n < THREADS; n++) {
            String name = "thread " + n;
            traces.add(() -> trace(fmu, name, Run::provoke));
        }
        var pool = Executors.newFixedThreadPool(THREADS);
        var results = pool.invokeAll(traces); // returns when all have ended, also with an exception
        pool.shutdown(); // otherwise its threads keep the JVM alive after an exception
        List<String> first = results.get(0).get();
        for (var result : results) {
            check(result.get().equals(first), "a simulation differs from that on another thread, which");
        }
        System.out.println("threads " + THREADS + " provoked " + provoked.get());
    }

    static final java.util.concurrent.atomic.AtomicLong provoked = new java.util.concurrent.atomic.AtomicLong();
    static Object[] garbage = new Object[64];

    /** What the JVM implements by signals: null checks and stack guards by SIGSEGV; and collections, which stop all threads. */
    static void provoke() {
        for (int n = 0; n < 2000; n++) {
            try {
                int[] none = n % 2 == 0 ? null : garbage[n % 64] instanceof int[] x ? x : null;
                garbage[n % 64] = none[0];
            } catch (NullPointerException e) {
                provoked.incrementAndGet();
            }
        }
        try {
            deeper(0);
        } catch (StackOverflowError e) {
            provoked.incrementAndGet();
        }
        System.gc();
    }

    static int deeper(int depth) {
        return depth + 1 + deeper(depth + 1);
    }
}
